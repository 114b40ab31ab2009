export * from '@codemirror/state'
