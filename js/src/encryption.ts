import {
  anObject,
  aString,
  checked,
  checkedOptions,
  checkedText,
  invalidArgument,
  type Kind,
} from './check.js';
import { VarveError } from './errors.js';
import type { Encryption } from './interface.js';

/** A key as the worker takes it: a passphrase, or a key of the browser's, which the page may not be able to read. */
export type StoreKey = string | CryptoKey;

const USAGES: readonly KeyUsage[] = ['encrypt', 'decrypt'];

const aesKey: Kind<CryptoKey> = {
  takes: 'a CryptoKey of AES-GCM with 256 bits, for "encrypt" and "decrypt"',
  is: (value): value is CryptoKey =>
    value instanceof CryptoKey &&
    value.algorithm.name === 'AES-GCM' &&
    (value.algorithm as AesKeyAlgorithm).length === 256 &&
    USAGES.every((usage) => value.usages.includes(usage)),
};

/** What `encryption` has in it, if it is given and the database lies where there is something to encrypt. */
export function storeKey(encryption: unknown, store: string | undefined): StoreKey | undefined {
  if (encryption === undefined) return undefined;
  if (store === undefined) {
    const takes = 'a database in IndexedDB: one in memory is stored nowhere';
    throw invalidArgument('encryption', 'given for a database in memory', takes);
  }
  return keyOf(encryption, 'encryption');
}

/** The key of an `encryption` that must be there. */
export function keyOf(encryption: unknown, name: string): StoreKey {
  if (globalThis.crypto?.subtle === undefined) {
    throw new VarveError({
      code: 'unsupported_environment',
      message: 'encryption needs WebCrypto, which this page does not have',
      hint: 'Browsers offer it to pages that come over HTTPS or from localhost.',
    });
  }
  checked(name, encryption, anObject);
  const kinds = { passphrase: aString, key: aesKey };
  const given = checkedOptions<{ passphrase?: string; key?: CryptoKey }>(encryption, kinds, name);
  const { passphrase, key } = given;
  if (passphrase !== undefined && key === undefined && passphrase !== '') {
    return checkedText(`${name}.passphrase`, passphrase);
  }
  if (key !== undefined && passphrase === undefined) return key;
  const got = passphrase === '' ? 'with an empty passphrase' : 'with both or neither';
  throw invalidArgument(name, `an object ${got}`, 'a passphrase, or a key');
}

/** What the option `encryption` takes; its parts are looked at where the place of the store is known. */
export const encryptionOption: Kind<Encryption> = {
  takes: 'an object with a passphrase, or with a key',
  is: (value): value is Encryption => anObject.is(value),
};
