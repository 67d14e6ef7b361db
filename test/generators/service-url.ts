let address = '';

/** Where the service under test is; Orval's client asks for it at every request. */
export function serviceUrl(): string {
  return address;
}

export function useService(url: string): void {
  address = url;
}
