import type { ConsoleRoutes } from '../frame/frame.ts'
import { refusalList } from './refusal-list.ts'

/** The page of refusals: the list, and the chosen one explained. */
export function refusalPages({ page }: ConsoleRoutes) {
  page('/console/refusals', refusalList)
}
