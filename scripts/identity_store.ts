/** Something that the provider keeps: a session, a code, a grant. */
type Payload = Record<string, unknown>;

/** The store of one kind of thing, as oidc-provider asks for it. */
export interface IdentityStore {
  upsert(id: string, payload: Payload, expiresIn?: number): Promise<void>;
  find(id: string): Promise<Payload | undefined>;
  findByUid(uid: string): Promise<Payload | undefined>;
  findByUserCode(userCode: string): Promise<Payload | undefined>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
}

/** Makes the stores of a provider that forgets everything when it ends. */
export function createIdentityStores(): (kind: string) => IdentityStore {
  const kept = new Map<string, { payload: Payload; end: number }>();

  return (kind) => {
    const keyOf = (id: string): string => `${kind} ${id}`;

    function read(key: string): Promise<Payload | undefined> {
      const found = kept.get(key);
      return Promise.resolve(
        found !== undefined && found.end > Date.now() ? found.payload : undefined,
      );
    }

    function findBy(name: string, value: string): Promise<Payload | undefined> {
      const found = [...kept].find(([key, { payload }]) =>
        key.startsWith(`${kind} `) && payload[name] === value
      );
      return found === undefined ? Promise.resolve(undefined) : read(found[0]);
    }

    return {
      upsert(id, payload, expiresIn = 86_400) {
        kept.set(keyOf(id), { payload, end: Date.now() + expiresIn * 1000 });
        return Promise.resolve();
      },
      find: (id) => read(keyOf(id)),
      findByUid: (uid) => findBy("uid", uid),
      findByUserCode: (userCode) => findBy("userCode", userCode),
      consume(id) {
        const found = kept.get(keyOf(id));
        if (found !== undefined) found.payload.consumed = Math.floor(Date.now() / 1000);
        return Promise.resolve();
      },
      destroy(id) {
        kept.delete(keyOf(id));
        return Promise.resolve();
      },
      revokeByGrantId(grantId) {
        for (const [key, { payload }] of kept) if (payload.grantId === grantId) kept.delete(key);
        return Promise.resolve();
      },
    };
  };
}
