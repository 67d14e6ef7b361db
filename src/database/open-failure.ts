/** Codes with which Node refuses a server's certificate: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const CERTIFICATE_CODE = /CERT|SIGNATURE|^ERR_TLS_/;

/** Answer of a PgBouncer to the parameters of a session. */
const POOLER_REFUSES = /^unsupported startup parameter/;

/** @returns one line: why the database can't be opened, and what to do if its certificate or its address is the reason */
export function failureToOpen(error: unknown): string {
  const { message, code } = error as { readonly message?: string; readonly code?: unknown };
  // An error about a name with several addresses, none of which answers, has a code and no message.
  const reason = message || String(code ?? error);
  if (POOLER_REFUSES.test(reason))
    return `${reason}. DATABASE_URL is the address of a pooler: name the one of the server itself with DATABASE_DIRECT_URL`;
  if (typeof code !== 'string' || !CERTIFICATE_CODE.test(code)) return reason;
  return (
    `the certificate of the server is refused (${reason}). ` +
    'Name the file of the authority that signed it with sslrootcert, and the host by a name that is in the certificate'
  );
}
