import type { Clause, Section } from './clause.ts'
import { authentication, errorRules, events } from './clauses/access.ts'
import { catalog, conditions, limits } from './clauses/catalog.ts'
import { errorEnvelope, listing, routes, service } from './clauses/surface.ts'
import { active, signals, stability } from './clauses/versioning.ts'

/** Everything that the API promises, in the order in which it is numbered. */
export const sections: readonly Section[] = [
  service,
  errorEnvelope,
  listing,
  routes,
  authentication,
  events,
  errorRules,
  catalog,
  conditions,
  limits,
  stability,
  signals,
  active,
]

export const clauses: readonly Clause[] = sections.flatMap((section) => section.clauses)
