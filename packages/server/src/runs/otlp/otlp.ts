export { recordWaitingTelemetry } from './waiting-telemetry.ts'
