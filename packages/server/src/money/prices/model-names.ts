/** A spelling under which a model may be priced, with the provider that goes with it. */
export interface NamedModel {
  readonly name: string
  /** `''` where none is known. */
  readonly provider: string
}

/** The version suffix of a model: a snapshot costs what the model costs, unless it has a price of its own. */
const version = /(?:[-@]\d{4}-\d{2}-\d{2}|[-@]\d{8}|[-:]latest)$/

/**
 * Returns the spellings to look for, closest first: as given, without its version, then both again without a leading `provider/`,
 * which names the provider where nothing else does.
 */
export function namesOf(model: string, provider: string): NamedModel[] {
  const names: NamedModel[] = []
  let rest = model
  let prefix = ''
  for (;;) {
    const named = provider || prefix
    names.push({ name: rest, provider: named })
    const unversioned = rest.replace(version, '')
    if (unversioned !== rest && unversioned !== '') names.push({ name: unversioned, provider: named })
    const slash = rest.indexOf('/')
    if (slash < 0 || slash === rest.length - 1) return names
    prefix ||= rest.slice(0, slash)
    rest = rest.slice(slash + 1)
  }
}
