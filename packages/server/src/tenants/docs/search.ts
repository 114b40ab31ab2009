import MiniSearch from 'minisearch'
import { recordIn } from '../../values/records.ts'
import { sectionsOf } from './markdown.ts'
import { guides, pathOf, readGuide } from './pages.ts'

/** A search result: a section of a guide, or an operation of the API. */
interface SearchEntry {
  readonly id: string
  readonly title: string
  /** Title of its guide; for operations their summary. */
  readonly page: string
  readonly text: string
}

interface Operation {
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
}

/** The parts of an OpenAPI document that are searched. */
export interface SearchedDocument {
  readonly paths?: object
}

/** Returns the index that browsers load for searching: sections of guides and operations, each with its address. */
export function searchIndex(document: SearchedDocument): string {
  const index = new MiniSearch<SearchEntry>({
    fields: ['title', 'page', 'text'],
    storeFields: ['title', 'page', 'text'],
  })
  index.addAll(guides.flatMap((guide) => guideEntries(guide)))
  index.addAll(operationEntries(document))
  return JSON.stringify(index)
}

function guideEntries(guide: (typeof guides)[number]): SearchEntry[] {
  const seen = new Set<string>()
  return sectionsOf(readGuide(guide)).flatMap(({ heading, anchor, text }, place) => {
    const id = place === 0 ? pathOf(guide) : `${pathOf(guide)}#${anchor}`
    if (seen.has(id)) return []
    seen.add(id)
    return [{ id, title: heading, page: guide.title, text: text.slice(0, maxText) }]
  })
}

/** Number of characters of a section that are searched. */
const maxText = 2_000

const operationEntries = (document: SearchedDocument): SearchEntry[] =>
  Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(recordIn(item))
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
