import 'reflect-metadata';
import { moveDatabaseCommand } from './move-database-command.js';

/** `npm run move-database`. */
process.exitCode = await moveDatabaseCommand(process.argv.slice(2), process);
