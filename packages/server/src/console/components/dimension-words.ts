const words = {
  workflow_id: 'workflow',
  deployment_id: 'deployment',
  department_id: 'team',
  customer_id: 'customer',
  user_id: 'user',
} as const

/** Names of the dimensions of runs, as the API has them. */
export const dimensions = Object.keys(words) as (keyof typeof words)[]

/** Returns the word for a dimension: `team` for `department_id`. */
export const dimensionText = (dimension: string): string =>
  Object.hasOwn(words, dimension) ? words[dimension as keyof typeof words] : dimension
