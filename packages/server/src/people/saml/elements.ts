/** Namespaces of the elements that are read. */
export const namespaces = {
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  encryption: 'http://www.w3.org/2001/04/xmlenc#',
  exclusive: 'http://www.w3.org/2001/10/xml-exc-c14n#',
} as const

export type NamespaceName = keyof typeof namespaces

const elementNode = 1
const textNode = 3

const isElement = (node: Node): node is Element => node.nodeType === elementNode

/** Returns an element and all elements inside it, in the order of the document. */
export function elementsOf(root: Element): readonly Element[] {
  const all: Element[] = []
  const pending: Element[] = [root]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    all.push(next)
    pending.push(...childrenOf(next).toReversed())
  }
  return all
}

export function childrenOf(parent: Element): readonly Element[] {
  const children: Element[] = []
  for (let child = parent.firstChild; child !== null; child = child.nextSibling)
    if (isElement(child)) children.push(child)
  return children
}

export const isNamed = (element: Element, namespace: NamespaceName, name: string) =>
  element.localName === name && element.namespaceURI === namespaces[namespace]

export const childrenNamed = (parent: Element | undefined, namespace: NamespaceName, name: string) =>
  parent === undefined ? [] : childrenOf(parent).filter((child) => isNamed(child, namespace, name))

export const firstNamed = (parent: Element | undefined, namespace: NamespaceName, name: string): Element | undefined =>
  childrenNamed(parent, namespace, name)[0]

/** Returns the value of an attribute without a prefix. One with a prefix is another attribute, whatever its local name. */
export function attributeOf(element: Element | undefined, name: string): string | undefined {
  const attribute = attributesOf(element).find(({ nodeName }) => nodeName === name)
  return attribute?.value
}

export const attributesOf = (element: Element | undefined): readonly Attr[] =>
  element === undefined ? [] : Array.from(element.attributes)

/** Returns the text of an element that has nothing but text; undefined where there is an element, a comment or CDATA in it. */
export function textOf(element: Element | undefined): string | undefined {
  if (element === undefined) return undefined
  let text = ''
  for (let child = element.firstChild; child !== null; child = child.nextSibling) {
    if (child.nodeType !== textNode) return undefined
    text += child.nodeValue ?? ''
  }
  return text
}
