import cookie from '@fastify/cookie'
import Fastify, { type FastifyRequest } from 'fastify'
import t from 'tap'
import { knownDeviceCookieOf, knownDeviceId } from '../../src/auth/sessions/known-devices.ts'
import { newRefreshToken, sessionOfToken } from '../../src/auth/sessions/refresh-token.ts'
import { createSealer } from '../../src/crypto/sealed.ts'
import { equalsInConstantTime, signUntil, signValue, verifyUntil, verifyValue } from '../../src/crypto/signed.ts'
import { newUnlock, readUnlock } from '../../src/downloads/unlock-token.ts'
import { isReverseUnlocked } from '../../src/shares/reverse/unlock.ts'

const sealer = createSealer('0123456789abcdef0123456789abcdef')
const issued = new Date('2026-01-02T03:04:05.678Z')
const now = () => issued
const userId = '9b2d7e64-6f0e-4c39-8a53-2f3f6f1f3c11'
const binding = { purpose: 'share tokens', prefix: 'summer.' } as const

// Issued by Razorbill before all signed tokens shared one module.
const unlockToken = 'Uid-1.11.mjwaidke.ml35pxke.hhUIfBzPNXuxeuIesSItrbvrEQTyGEeCMOBMPNIUkB8'
const reverseToken = 'mjxpy88e.cooraLRhit52VsS5A0hDCrTNvm5owcM0W9omw1oqC8I'
const refreshToken = `${userId}.9V_dqkwX3afjkkLOX0Gn12qEfshWDQfwhhzWw4qZeeU.pDx6UYiNIyupX4gcJ6bWUv9pdJqaH9LHPLVQaUZ6sHw`
const deviceToken = 'ee8VrEskNn3DLV1_V3d44efW5azpE1_xQrqNmXdt8wE.On801p2xuBYRjUVMmSo7F_yOwVQ3S9P8D6_iJ_koTck'
const reverse = { id: 'inbox', passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA' }

t.test('accepts the tokens of earlier versions', async (t) => {
  const cookies = {
    share_summer_token: unlockToken,
    reverse_share_inbox_token: reverseToken,
    known_device: deviceToken,
  }
  const read = await withCookies(cookies, (request) => ({
    unlock: readUnlock({ sealer, now }, request, 'summer'),
    isReverseUnlocked: isReverseUnlocked({ sealer, now }, request, reverse),
    device: knownDeviceId(sealer, { deviceToken: knownDeviceCookieOf(request) ?? '' }, userId),
  }))
  t.same(read, {
    unlock: { uid: 'Uid-1', passwordVersion: 37, issued: issued.getTime() },
    isReverseUnlocked: true,
    device: 'ee8VrEskNn3DLV1_V3d44efW5azpE1_xQrqNmXdt8wE',
  })
  t.equal(sessionOfToken(sealer, refreshToken), userId)
})

t.test('issues the same unlock tokens as earlier versions', async (t) => {
  t.equal(newUnlock({ sealer, now }, { id: 'summer', uid: 'Uid-1', passwordVersion: 37, expiresAt: null }), unlockToken)
})

t.test('rejects a token after it has expired', async (t) => {
  const token = signUntil(sealer, binding, ['a', 'b'], issued.getTime() + 1000)
  t.same(verifyUntil(sealer, binding, token, new Date(issued.getTime() + 999)), ['a', 'b'])
  t.equal(verifyUntil(sealer, binding, token, new Date(issued.getTime() + 1000)), null)
})

t.test('rejects a token that was changed or signed for another purpose', async (t) => {
  const token = signValue(sealer, binding, 'value')
  t.equal(verifyValue(sealer, binding, token), 'value')
  for (const forged of ['', '.', 'value', 'value.', token.slice(0, -1), `x${token}`, `${token}.`, token.replace('value', 'other')])
    t.equal(verifyValue(sealer, binding, forged), null, forged)
  t.equal(verifyValue(sealer, { ...binding, prefix: 'winter.' }, token), null)
  t.equal(verifyValue(sealer, { ...binding, purpose: 'reverse share tokens' }, token), null)
  t.equal(verifyValue(createSealer('another secret key'), binding, token), null)
  t.equal(sessionOfToken(sealer, newRefreshToken(createSealer('another secret key'), userId)), null)
})

t.test('compares texts of any length', async (t) => {
  t.equal(equalsInConstantTime('é', 'é'), true)
  for (const other of ['', 'e', 'ab', 'è']) t.equal(equalsInConstantTime('é', other), false, other)
})

async function withCookies<T>(cookies: Record<string, string>, read: (request: FastifyRequest) => T): Promise<T> {
  const app = Fastify()
  await app.register(cookie)
  app.get('/', async (request) => ({ read: read(request) }))
  return (await app.inject({ url: '/', cookies })).json().read
}
