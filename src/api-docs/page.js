const calls = [...document.querySelectorAll('.call')].map((element) => ({ element, text: element.textContent.toLowerCase() }))
const search = document.getElementById('search')
const found = document.getElementById('found')

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  let count = 0
  for (const { element, text } of calls) {
    element.hidden = !words.every((word) => text.includes(word))
    if (!element.hidden) count++
  }
  for (const section of document.querySelectorAll('#calls section')) section.hidden = !section.querySelector('.call:not([hidden])')
  found.hidden = words.length === 0
  found.textContent = count === 0 ? 'No call has all of these words.' : `${count} of ${calls.length} calls`
}

function openLinked() {
  const linked = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (linked && linked.tagName === 'DETAILS') linked.open = true
}

search.addEventListener('input', filter)
addEventListener('hashchange', openLinked)
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.matches('input')) return
  event.preventDefault()
  search.focus()
})
for (const button of document.querySelectorAll('.copy')) {
  button.hidden = !navigator.clipboard
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent)
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = 'Copy'), 2000)
  })
}
filter()
openLinked()
