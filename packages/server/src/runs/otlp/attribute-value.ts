export type AttributeValue = string | number | readonly string[]
