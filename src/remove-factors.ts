import 'reflect-metadata';
import { removeFactorsCommand } from './remove-factors-command.js';

/** `npm run remove-factors`, and the image's command `remove-factors`. */
process.exitCode = await removeFactorsCommand(process.argv.slice(2), process);
