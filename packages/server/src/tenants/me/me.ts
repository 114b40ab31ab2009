export { limitsOfCaller } from './limits.ts'
