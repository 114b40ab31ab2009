import MiniSearch from 'minisearch'
import { sectionsOf } from './markdown.ts'
import { guides, pathOf, readGuide } from './pages.ts'

/** One place that can be found: a section of a guide, or an operation of the API. */
interface Place {
  readonly id: string
  readonly title: string
  /** The guide that it stands in; for operations what they do. */
  readonly page: string
  readonly text: string
}

interface Operation {
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
}

/** The part of an OpenAPI document that is searched. */
export interface SearchedDocument {
  readonly paths?: object
}

/** The index that browsers load when somebody searches: sections of guides and operations, each under its address. */
export function searchIndex(document: SearchedDocument): string {
  const index = new MiniSearch<Place>({ fields: ['title', 'page', 'text'], storeFields: ['title', 'page', 'text'] })
  index.addAll(guides.flatMap((guide) => placesOf(guide)))
  index.addAll(operationsOf(document))
  return JSON.stringify(index)
}

function placesOf(guide: (typeof guides)[number]): Place[] {
  const seen = new Set<string>()
  return sectionsOf(readGuide(guide)).flatMap(({ heading, anchor, text }, place) => {
    const id = place === 0 ? pathOf(guide) : `${pathOf(guide)}#${anchor}`
    if (seen.has(id)) return []
    seen.add(id)
    return [{ id, title: heading, page: guide.title, text: text.slice(0, mostText) }]
  })
}

/** Characters of a section that are searched. */
const mostText = 2_000

const operationsOf = (document: SearchedDocument): Place[] =>
  Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item as object)
      .filter(([method]) => /^(get|post|put|patch|delete)$/.test(method))
      .map(([method, value]) => {
        const { tags = [], summary = '', description = '' } = value as Operation
        const name = method.toUpperCase()
        return {
          id: `/docs/reference/#tag/${tags[0]}/${name}${path}`,
          title: `${name} ${path}`,
          page: summary,
          text: description.replaceAll('`', ''),
        }
      }),
  )
