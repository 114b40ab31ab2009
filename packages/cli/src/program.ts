import { Command } from 'commander'
import { addAccountCommands } from './commands/account.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addConfigurationCommands } from './commands/configuration.ts'
import { surround } from './commands/context.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addForeignKeyCommands } from './commands/foreign-keys.ts'
import { addImportCommands } from './commands/import.ts'
import { addKeyCommands } from './commands/keys.ts'
import { addLimitCommands } from './commands/limits.ts'
import { addPriceCommands } from './commands/prices.ts'
import { addRefusalCommands } from './commands/refusals.ts'
import { addRunCommands } from './commands/runs.ts'
import { addUsageCommands } from './commands/usage.ts'
import { addVerificationCommands } from './commands/verification.ts'
import type { Surroundings } from './surroundings.ts'
import { version } from './version.ts'

const exitCodeHelp = `
The key comes from WEIR_API_KEY, or from a profile that \`weir login\` keeps; the address from --url, WEIR_BASE_URL or the profile.

Exit codes: 0 done; 1 refused, or a check found something; 2 wrong command line or file; 3 \`apply --check\` or \`prices diff\` found a
difference; 4 no usable answer; 5 no key, or it may not do this; 6 somebody else changed it meanwhile.`

/** The program with all its commands. Options for all of them may stand before or after a command. */
export function createProgram(surroundings: Surroundings): Command {
  const program = new Command('weir')
    .description('What AI agents may spend and do: the command line of Weir.')
    .version(version)
    .option('--url <url>', 'the address of the server')
    .option('--profile <name>', 'the profile to use')
    .option('--json', 'print JSON, for programs')
    .option('--reason <text>', 'why something is changed, for the audit log')
    .addHelpText('after', exitCodeHelp)
    .showHelpAfterError('(weir --help)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void surroundings.stdout.write(text),
      writeErr: (text) => void surroundings.stderr.write(text),
    })
  surround(program, surroundings)
  addAccountCommands(program)
  addKeyCommands(program)
  addForeignKeyCommands(program)
  addLimitCommands(program)
  addRunCommands(program)
  addRefusalCommands(program)
  addUsageCommands(program)
  addPriceCommands(program)
  addConfigurationCommands(program)
  addImportCommands(program)
  addVerificationCommands(program)
  addDoctorCommand(program)
  addCompletionCommand(program)
  return program
}
