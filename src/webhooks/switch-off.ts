/** Why the service switched a webhook off, for its owner to read. */
export const ENDPOINT_GONE = 'The endpoint answered 410 Gone';
export const GIVEN_UP = 'Every attempt has failed for five days';
/** A webhook that has only failed for so long is switched off. */
export const FAILING_DAYS = 5;

/** Error of deliveries that waited for a webhook when it was switched off. */
export const CANCELLED = 'Not sent: the webhook was switched off';
