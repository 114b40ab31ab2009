export * from '@codemirror/language'
