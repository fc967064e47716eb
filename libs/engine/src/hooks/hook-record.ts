import type { HookAction, HookVerification } from '#libs/domain';

/** A way in for other systems. Times are RFC 3339, UTC. */
export type HookRecord = {
  projectId: string;
  name: string;
  hookId: string;
  verification: HookVerification;
  /** A template over `body` and `headers`; null: what the sender's standard says. */
  deliveryIdTemplate: string | null;
  /** An expression over `body` and `headers`; deliveries for which it is not true are taken and ignored. */
  condition: string | null;
  action: HookAction;
  createdAt: string;
  updatedAt: string;
};

/** With the secrets in force, the newest first; of `token` their SHA-256. Never logged. */
export type HookWithSecrets = HookRecord & { secrets: string[] };

/** What a sender sent. Names of headers are in lower case. */
export type HookDelivery = { headers: Readonly<Record<string, string>>; contentType: string; body: string };
