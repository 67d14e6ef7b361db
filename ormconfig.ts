import { DataSource } from 'typeorm';
import { dataSourceOptions } from './src/database/data-source-options.js';
import { migrations } from './src/schema-migrations.js';
import { entities } from './src/schema.js';

/** For the TypeORM command line only (`npm run typeorm -- migration:show`); the service builds its own. */
export default new DataSource(
  dataSourceOptions({
    target: {
      url:
        process.env.DATABASE_DIRECT_URL || process.env.DATABASE_URL || 'postgres://127.0.0.1:5432/postgres',
    },
    entities,
    migrations,
  }),
);
