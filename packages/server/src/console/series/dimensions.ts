/** A dimension of usage: its name in the API, and its words. */
export interface Dimension {
  readonly name: DimensionName
  readonly title: string
  /** Name of the group of runs that had no such field. */
  readonly none: string
}

type DimensionName =
  | 'department_id'
  | 'user_id'
  | 'key_id'
  | 'model'
  | 'provider'
  | 'workflow_id'
  | 'deployment_id'
  | 'customer_id'

/** Dimensions by which usage can be split, in the order in which somebody goes into detail. */
export const dimensions: readonly Dimension[] = [
  { name: 'department_id', title: 'Team', none: 'no team' },
  { name: 'user_id', title: 'Person', none: 'no person' },
  { name: 'key_id', title: 'Key', none: 'no key' },
  { name: 'model', title: 'Model', none: 'no model' },
  { name: 'workflow_id', title: 'Workflow', none: 'no workflow' },
  { name: 'deployment_id', title: 'Deployment', none: 'no deployment' },
  { name: 'provider', title: 'Provider', none: 'no provider' },
  { name: 'customer_id', title: 'Customer', none: 'no customer' },
]

export const dimensionNamed = (name: string | null): Dimension | undefined =>
  dimensions.find((dimension) => dimension.name === name)
