import { parentPort, workerData } from 'node:worker_threads'
import { present } from '../../values/present.ts'
import { type BillTask, runBillTask } from './bill-task.ts'

present(parentPort).postMessage(runBillTask(workerData as BillTask), [])
