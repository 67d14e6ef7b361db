import 'reflect-metadata';
import { resealCommand } from './reseal-command.js';

/** `npm run reseal`, and the image's command `reseal`. */
process.exitCode = await resealCommand(process.argv.slice(2), process);
