export * from '@codemirror/lint'
