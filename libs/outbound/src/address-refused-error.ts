import { TerminalError } from '#libs/domain';

/** The host is, or resolves to, an address outside the public net, and the operator has not allowed it. */
export class AddressRefusedError extends TerminalError {
  constructor(hostname: string) {
    super(
      'address_refused',
      `${hostname} is a private or reserved address; the operator can allow the host in weir.yml`,
      { host: hostname },
    );
  }
}

/** The refusal behind an error of `fetch`, which wraps what happened on its socket in causes; null when there is none. */
export function addressRefusal(error: unknown): AddressRefusedError | null {
  let current: unknown = error;
  for (let depth = 0; depth < 8 && typeof current === 'object' && current !== null; depth += 1) {
    if (current instanceof AddressRefusedError) return current;
    current = 'cause' in current ? current.cause : null;
  }
  return null;
}
