import 'reflect-metadata';
import { doctorCommand } from './doctor-command.js';

/** `npm run doctor`, and the image's command `doctor`. */
process.exitCode = await doctorCommand(process.argv.slice(2), process);
