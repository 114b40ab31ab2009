import { TaskThread } from '../../contract/task-thread.ts'
import type { PlanResult, PlanTask } from './plan-task.ts'

/** Creates the thread that plans imports. */
export const createPlanThread = () =>
  new TaskThread<PlanTask, PlanResult>(new URL('./plan-thread-program.ts', import.meta.url), {
    one: 'price list',
    many: 'price lists',
  })
