let address = '';

/** Address of the service under test; Orval's client reads it for every request. */
export function serviceUrl(): string {
  return address;
}

export function useService(url: string): void {
  address = url;
}
