export * from '@codemirror/commands'
