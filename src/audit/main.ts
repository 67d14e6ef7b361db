import { auditCommand } from './audit-command.js';

/** `npm run audit:data`. */
process.exitCode = await auditCommand(process.argv.slice(2), process);
