import { directTransport, type PutOutside } from '../../../uploader/direct-transport.ts'
import { callsTo } from '../../../uploader/fetch-transport.ts'
import { parseJson, parseRetryAfter, type Transport } from '../../../uploader/transport.ts'
import { address } from '../address.ts'

/**
 * Returns the browser's transport. Parts use XMLHttpRequest, because `fetch` reports no upload
 * progress.
 */
export function xhrTransport(): Transport {
  const put: Transport['put'] = (path, bytes, sending) =>
    putBytes(address(path), bytes, { 'content-type': 'application/octet-stream' }, sending)
  return directTransport({ call: callsTo(address(''), {}), put }, putBytes)
}

const putBytes: PutOutside = (url, bytes, headers, { method = 'PUT', signal, onProgress }) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    request.open(method, url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded }) => onProgress(loaded)
    request.onload = () =>
      resolve({
        status: request.status,
        body: parseJson(request.responseText),
        retryAfter: parseRetryAfter(retryAfterOf(request)),
      })
    request.onerror = () => reject(new TypeError('The part could not be uploaded'))
    request.onabort = () => reject(signal.reason)
    request.onloadend = () => signal.removeEventListener('abort', abort)
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', abort)
    request.send('content-type' in headers ? bytes : bytes.slice()) // for a file, browsers would add its type, which a store may refuse
  })

/**
 * Returns the header if this page may read it. From a store it may not, and browsers log each
 * attempt as an error.
 */
function retryAfterOf(request: XMLHttpRequest): string | null {
  return /^retry-after:/im.test(request.getAllResponseHeaders()) ? request.getResponseHeader('retry-after') : null
}
