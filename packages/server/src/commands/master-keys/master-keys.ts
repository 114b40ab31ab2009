export { rekey } from './rotation.ts'
export { revokeUnusedKeys } from './unused-keys.ts'
export { countMasterKeyUsesJob, reportUses } from './uses.ts'
