export * from '@lezer/highlight'
