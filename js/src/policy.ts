/** What a Content-Security-Policy forbade. */
export interface Violation {
  readonly blockedURI: string;
  readonly effectiveDirective: string;
  readonly originalPolicy: string;
}

interface Listening {
  addEventListener(type: string, listener: (event: Violation) => void): void;
  removeEventListener(type: string, listener: (event: Violation) => void): void;
}

/** Where violations are told, in a page as in a worker; on a server nothing is. */
const scope = globalThis as unknown as Partial<Listening>;

/** How long after a failure the browser may take to tell of the violation that was its cause. */
const TELLING_MS = 50;

/** Sees what the policy forbids from now on, until it is ended. */
export class PolicyWatch {
  #violation: Violation | undefined;
  readonly #see = (event: Violation) => {
    this.#violation ??= event;
  };

  constructor() {
    scope.addEventListener?.('securitypolicyviolation', this.#see);
  }

  /** The first violation; asked for right after a failure. */
  async violation(): Promise<Violation | undefined> {
    await new Promise((resolve) => setTimeout(resolve, TELLING_MS));
    return this.#violation;
  }

  end(): void {
    scope.removeEventListener?.('securitypolicyviolation', this.#see);
  }
}

/** The directive as the policy has it, which may be the one that stands in for it, or its name alone. */
export function directiveOf({ effectiveDirective, originalPolicy }: Violation): string {
  const directives = originalPolicy.split(';').map((each) => each.trim());
  const standIns = [effectiveDirective, 'child-src', 'script-src', 'default-src'];
  for (const name of standIns) {
    const found = directives.find((each) => each === name || each.startsWith(`${name} `));
    if (found !== undefined) return found;
  }
  return effectiveDirective;
}
