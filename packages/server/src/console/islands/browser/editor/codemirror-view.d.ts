export * from '@codemirror/view'
