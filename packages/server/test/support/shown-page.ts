/** A form as a page shows it, with the values that a browser would send if nobody touched it. */
export interface ShownForm {
  readonly method: string
  readonly action: string
  readonly fields: Readonly<Record<string, string | readonly string[]>>
  /** Names of its buttons. */
  readonly buttons: readonly string[]
  /** Further addresses that some of its buttons send it to. */
  readonly otherActions: readonly string[]
}

/** A page as somebody sees it who reads its text, follows its links and sends its forms. */
export interface ShownPage {
  readonly status: number
  readonly headers: Headers
  /** Address that the answer leads to; undefined for a page that is shown. */
  readonly location: string | undefined
  readonly html: string
  readonly title: string
  /** Text of the main part, without markup; a space stands between elements. */
  readonly text: string
  /** Links of the main part. */
  readonly links: readonly { readonly href: string; readonly text: string }[]
  /** Forms of the main part: not those of the frame, such as the theme's. */
  readonly forms: readonly ShownForm[]
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }

/** Returns what a reader sees of escaped text. */
const unescaped = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/g, (whole, name: string) => entities[name] ?? whole)

/** Returns the text of markup; a space stands between elements. */
const textOf = (markup: string): string =>
  unescaped(markup.replaceAll(/<(script|style)\b.*?<\/\1>/gs, ' ').replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,:;?)])/g, '$1')
    .trim()

/** Returns the attributes of a tag; one without a value is empty text. */
const attributesOf = (tag: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...tag.replace(/^<\S+/, '').matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [
      name,
      unescaped(value),
    ]),
  )

const elements = (markup: string, name: string) =>
  [...markup.matchAll(new RegExp(`(<${name}\\b[^>]*>)(.*?)</${name}>`, 'gs'))].map(([, tag = '', inside = '']) => ({
    attributes: attributesOf(tag),
    inside,
  }))

function fieldsOf(form: string): [string, string][] {
  const inputs = [...form.matchAll(/<input\b[^>]*>/g)].flatMap(([tag]): [string, string][] => {
    const { name, type, value = '', checked } = attributesOf(tag)
    if (name === undefined || ((type === 'radio' || type === 'checkbox') && checked === undefined)) return []
    return [[name, value]]
  })
  const areas = elements(form, 'textarea').map(({ attributes, inside }): [string, string] => [
    attributes['name'] ?? '',
    unescaped(inside),
  ])
  const selects = elements(form, 'select').flatMap(({ attributes, inside }): [string, string][] => {
    const options = elements(inside, 'option')
    const chosen = options.filter((option) => 'selected' in option.attributes)
    const sent = chosen.length > 0 || 'multiple' in attributes ? chosen : options.slice(0, 1)
    return sent.map((option) => [attributes['name'] ?? '', option.attributes['value'] ?? textOf(option.inside)])
  })
  return [...inputs, ...areas, ...selects]
}

const gathered = (fields: readonly [string, string][]): ShownForm['fields'] => {
  const byName = Map.groupBy(fields, ([name]) => name)
  return Object.fromEntries(
    [...byName].map(([name, all]) => [name, all.length === 1 ? all[0]![1] : all.map(([, value]) => value)]),
  )
}

const formsOf = (markup: string): ShownForm[] =>
  elements(markup, 'form').map(({ attributes, inside }) => ({
    method: (attributes['method'] ?? 'get').toLowerCase(),
    action: attributes['action'] ?? '',
    fields: gathered(fieldsOf(inside)),
    buttons: elements(inside, 'button').map((button) => textOf(button.inside)),
    otherActions: elements(inside, 'button').flatMap((button) => button.attributes['formaction'] ?? []),
  }))

/** Reads an answer as a page. */
export async function shownPage(response: Response): Promise<ShownPage> {
  const html = await response.text()
  const [, main = html] = /<main\b[^>]*>(.*)<\/main>/s.exec(html) ?? []
  return {
    status: response.status,
    headers: response.headers,
    location: response.headers.get('location') ?? undefined,
    html,
    title: textOf(/<title>(.*?)<\/title>/s.exec(html)?.[1] ?? ''),
    text: textOf(main),
    links: elements(main, 'a').map(({ attributes, inside }) => ({
      href: attributes['href'] ?? '',
      text: textOf(inside),
    })),
    forms: formsOf(main),
  }
}
