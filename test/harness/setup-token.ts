/** The `SETUP_TOKEN` of every service that tests start. */
export const SETUP_TOKEN = 'a setup token for tests, of more than thirty-two bytes';
