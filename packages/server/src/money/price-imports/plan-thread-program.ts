import { parentPort, workerData } from 'node:worker_threads'
import { present } from '../../values/present.ts'
import { type PlanTask, runPlanTask } from './plan-task.ts'

present(parentPort).postMessage(runPlanTask(workerData as PlanTask), [])
