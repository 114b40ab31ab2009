import type { Command } from 'commander'
import { Fault } from '../faults.ts'
import { action } from './context.ts'

export function addCompletionCommand(program: Command) {
  action(
    program
      .command('completion')
      .description('print a script that completes commands in a shell')
      .argument('<shell>', 'bash, zsh or fish'),
    ({ terminal }, _options: object, shell = '') => {
      const write = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
      if (!write) throw new Fault('usage', `"${shell}" is none of bash, zsh and fish`)
      terminal.print(write(wordsOf(program)))
    },
  )
}

/** Words that may follow a command, by the command. */
type Words = readonly (readonly [path: string, words: readonly string[]])[]

function wordsOf(command: Command, path: readonly string[] = []): Words {
  const options = [...command.options, ...(path.length > 0 ? rootOptions(command) : [])].flatMap(
    ({ long }) => long ?? [],
  )
  const own = [
    path.join(' '),
    [...command.commands.map((one) => one.name()), ...new Set([...options, '--help'])],
  ] as const
  return [own, ...command.commands.flatMap((one) => wordsOf(one, [...path, one.name()]))]
}

function rootOptions(command: Command): Command['options'] {
  return command.parent ? rootOptions(command.parent) : command.options
}

const cases = (words: Words) => words.map(([path, list]) => `    '${path}') choices='${list.join(' ')}' ;;`).join('\n')

/** The path of commands so far: words that are no options. */
const scripts: Readonly<Record<string, (words: Words) => string>> = {
  bash: (words) => `_weir() {
  local word path='' choices=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  case $path in
${cases(words)}
  esac
  COMPREPLY=($(compgen -W "$choices" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _weir weir`,
  zsh: (words) => `#compdef weir
_weir() {
  local word entered='' choices=''
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case $word in -*) ;; *) entered="\${entered:+$entered }$word" ;; esac
  done
  case $entered in
${cases(words)}
  esac
  compadd -- \${=choices}
}
compdef _weir weir`,
  fish: (words) => {
    const lines = words.flatMap(([path, list]) =>
      list.map((word) => {
        const kind = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`
        return `complete -c weir -n "__weir_at '${path}'" ${kind}`
      }),
    )
    return `function __weir_at
  set -l words (commandline -opc | string match -v -- '-*')
  test "$(string join ' ' $words[2..-1])" = "$argv[1]"
end
${lines.join('\n')}`
  },
}
