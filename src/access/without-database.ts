import { SetMetadata } from '@nestjs/common';

export const WITHOUT_DATABASE = 'without-database';

/** Marks a route that answers before the database is ready; every other route returns 503 until then. */
export const WithoutDatabase = () => SetMetadata(WITHOUT_DATABASE, true);
