/**
 * A rule: the name under which an answer is refused, and the test that it must pass. All rules are tests of their own, so that tests of
 * a room can leave one out and see that it was needed; nothing in production can.
 */
export interface AnswerRule<Name extends string, Input> {
  readonly name: Name
  readonly holds: (input: Input) => boolean
}

export function brokenRule<Name extends string, Input>(
  rules: readonly AnswerRule<Name, Input>[],
  input: Input,
): Name | undefined {
  return rules.find(({ holds }) => !holds(input))?.name
}

/** Lists rules by their names. */
export const rulesNamed = <Name extends string, Input>(
  rules: Readonly<Record<Name, (input: Input) => boolean>>,
): readonly AnswerRule<Name, Input>[] =>
  (Object.entries(rules) as [Name, (input: Input) => boolean][]).map(([name, holds]) => ({ name, holds }))
