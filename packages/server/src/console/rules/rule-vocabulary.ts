/** A word of the expressions of rules: how it is written, its type or shape, and what it says. */
export interface ExpressionWord {
  readonly name: string
  readonly detail: string
  readonly info: string
}

const word = (name: string, detail: string, info: string): ExpressionWord => ({ name, detail, info })

/** Variables that expressions can read, as the guide to expressions documents them. */
export const expressionVariables: readonly ExpressionWord[] = [
  word('run.model', 'string', 'the requested model, as it was sent'),
  word('run.model_base', 'string', 'its one name: without provider and version'),
  word('run.provider', 'string', 'its provider, as it was sent'),
  word('run.provider_base', 'string', 'the one name of its provider'),
  word('run.operation', 'string', 'such as chat'),
  word('run.action', 'string', 'what the agent is about to do'),
  word('run.workflow_id', 'string', 'what the run is part of'),
  word('run.deployment_id', 'string', 'where it runs'),
  word('run.department_id', 'string', 'the team that is responsible for it'),
  word('run.user_id', 'string', 'the person who makes it'),
  word('run.input_tokens', 'int', 'tokens of the input, if they are known'),
  word('run.max_output_tokens', 'int', 'the most that the model may answer with'),
  word('run.estimated_cost_usd', 'double', 'the most that it can cost'),
  word('run.has_input', 'bool', 'whether input was sent with the start'),
  word('run.tags', 'list of strings', 'its tags'),
  word('run.metadata', 'map', 'strings, numbers and booleans by name'),
  word('org.id', 'string', 'the organization'),
  word('key.id', 'string', 'the key that asks'),
  word('key.role', 'string', 'its role'),
  word('key.scopes', 'list of strings', 'its scopes'),
  word('customer.id', 'string', 'the customer that the run is for'),
  word('chain.id', 'string', 'the chain that the run belongs to'),
  word('chain.depth', 'int', 'the depth of the run in the chain'),
  word('chain.cost_usd', 'double', 'what the chain has spent and holds'),
  word('time.hour', 'int', 'the hour in the zone of the organization'),
  word('time.minute', 'int', 'the minute'),
  word('time.weekday', 'int', '1 is Monday, 7 is Sunday'),
  word('time.day', 'int', 'the day of the month'),
  word('time.month', 'int', 'the month'),
  word('time.year', 'int', 'the year'),
  word('time.date', 'string', 'the date as 2026-11-15'),
]

/** Functions that stand before what they are about. */
export const expressionFunctions: readonly ExpressionWord[] = [
  word('has', '(run.metadata.team)', 'whether the metadata has a name'),
  word('size', '(x)', 'characters, elements or entries'),
  word('re2', '(text, "…")', 'whether a pattern is found in a string'),
  word('int', '(x)', 'a whole number'),
  word('double', '(x)', 'a number'),
  word('string', '(x)', 'text'),
]

/** Functions that follow what they are about. */
export const expressionMethods: readonly ExpressionWord[] = [
  word('contains', '("a")', 'whether a string has a part'),
  word('startsWith', '("a")', 'whether a string begins so'),
  word('endsWith', '("a")', 'whether a string ends so'),
  word('lowerAscii', '()', 'in lower case'),
  word('upperAscii', '()', 'in upper case'),
  word('trim', '()', 'without spaces around it'),
  word('re2', '("^gpt-[0-9]")', 'whether a pattern is found'),
  word('size', '()', 'characters, elements or entries'),
  word('exists', '(x, …)', 'whether it holds for one'),
  word('all', '(x, …)', 'whether it holds for all'),
  word('exists_one', '(x, …)', 'whether it holds for exactly one'),
  word('filter', '(x, …)', 'those for which it holds'),
  word('map', '(x, …)', 'another list'),
]

/** Words for the editor, as its script reads them from the page. */
export const editorWords: string = JSON.stringify({
  variables: expressionVariables,
  functions: expressionFunctions,
  methods: expressionMethods,
})
