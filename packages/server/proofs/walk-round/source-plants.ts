import { plantInSource } from '../storm/planted-source.ts'
import { defences } from './defences.ts'

/** Loads the program without one of its defences (`--import`, `WEIR_WITHOUT_DEFENCE`). */
plantInSource(defences[process.env['WEIR_WITHOUT_DEFENCE'] ?? '']?.plants ?? [])
