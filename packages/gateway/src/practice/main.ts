import { startPracticeProvider } from './provider.ts'

/** Runs the practice provider on the port that is given, and says where it is. */
const provider = await startPracticeProvider(Number(process.argv[2] ?? 0))
process.stdout.write(
  `${JSON.stringify({ url: provider.url, message: 'the practice provider answers; nothing that it says is from a model' })}\n`,
)
