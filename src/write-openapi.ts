import { writeFile } from 'node:fs/promises';
import { createApp } from './create-app.js';
import { createLogger } from './config/logger.js';
import { readSettings } from './config/settings.js';
import { openApiDocument } from './openapi/openapi-document.js';

/** `npm run openapi`: writes the committed document. It needs no database, because nothing is started. */
const settings = readSettings({ LOG_LEVEL: 'silent' });
const app = await createApp({
  settings,
  logger: createLogger(settings),
  locateDatabase: () => Promise.reject(new Error('not used')),
});
await writeFile('openapi.json', `${JSON.stringify(openApiDocument(app), null, 2)}\n`);
await app.close();
