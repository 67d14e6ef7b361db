// npm run move-database: copies the embedded database into the PostgreSQL that DATABASE_URL names.
import { runCheck } from './check-command.mjs';

await runCheck('dist/src/move-database.js');
