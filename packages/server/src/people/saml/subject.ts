import { attributeOf, childrenNamed, firstNamed, textOf } from './elements.ts'

/** The person that an identity provider vouches for, as its signed assertion names them. */
export interface SamlSubject {
  readonly nameId: string
  readonly format: string | null
  readonly sessionIndex: string | null
  /** Values by the attribute's name. Values that are not text are left out. */
  readonly attributes: ReadonlyMap<string, readonly string[]>
}

const maxNameIdCharacters = 256
const maxAttributeValues = 2_000
const maxAttributeCharacters = 4_096

export const nameIdsOf = (assertion: Element) =>
  childrenNamed(firstNamed(assertion, 'assertion', 'Subject'), 'assertion', 'NameID')

/** Tells whether a name is text without anything inside it, and without characters that only look like nothing. */
export function isSoundNameId(element: Element): boolean {
  const value = textOf(element)
  return (
    value !== undefined &&
    (attributeOf(element, 'Format') ?? '').length <= maxNameIdCharacters &&
    value.length <= maxNameIdCharacters &&
    /^[^\s\p{C}](?:[^\p{C}]*[^\s\p{C}])?$/u.test(value)
  )
}

const attributeElements = (assertion: Element) =>
  childrenNamed(assertion, 'assertion', 'AttributeStatement').flatMap((it) =>
    childrenNamed(it, 'assertion', 'Attribute'),
  )

const valuesOf = (attribute: Element) =>
  childrenNamed(attribute, 'assertion', 'AttributeValue').flatMap((value) => textOf(value) ?? [])

export function attributesAreBounded(assertion: Element): boolean {
  const all = attributeElements(assertion)
  const texts = all.flatMap((attribute) => [attributeOf(attribute, 'Name') ?? '', ...valuesOf(attribute)])
  return (
    all.every((attribute) => (attributeOf(attribute, 'Name') ?? '') !== '') &&
    texts.length <= maxAttributeValues &&
    texts.every(({ length }) => length <= maxAttributeCharacters)
  )
}

/** Reads the subject of an assertion that all rules hold for. Several attributes of one name are one with all their values. */
export function subjectOf(assertion: Element): SamlSubject {
  const [nameId] = nameIdsOf(assertion)
  const attributes = new Map<string, readonly string[]>()
  for (const attribute of attributeElements(assertion)) {
    const name = attributeOf(attribute, 'Name') ?? ''
    attributes.set(name, [...(attributes.get(name) ?? []), ...valuesOf(attribute)])
  }
  return {
    nameId: textOf(nameId) ?? '',
    format: attributeOf(nameId, 'Format') ?? null,
    sessionIndex: attributeOf(firstNamed(assertion, 'assertion', 'AuthnStatement'), 'SessionIndex') ?? null,
    attributes,
  }
}
