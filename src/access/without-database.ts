import { SetMetadata } from '@nestjs/common';

export const WITHOUT_DATABASE = 'without-database';

/** The route answers even before the database is there; every other one is a 503 until then. */
export const WithoutDatabase = () => SetMetadata(WITHOUT_DATABASE, true);
