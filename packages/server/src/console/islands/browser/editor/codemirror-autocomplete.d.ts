export * from '@codemirror/autocomplete'
