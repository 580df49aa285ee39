import { type RefObject, useEffect, useRef } from 'react'
import { type Box, enlarge, fitted, type Place, whole } from './zoom.ts'

interface Actions {
  onStep(offset: number): void
  onClose(): void
  /** The picture is shown larger than it fits. */
  onEnlarge(): void
}

const swipeDistance = 60 // CSS pixels
const doubleTapTime = 300 // ms
const doubleTapScale = 2.5

/**
 * Handles touches, mouse and wheel on a picture: swipe to step, pull down to close, pinch, double
 * tap or turn the wheel to enlarge, and drag to move.
 */
export function useGestures(frame: RefObject<HTMLElement | null>, actions: Actions): void {
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => {
    const { current: element } = frame
    if (!element) return
    const gesture = new Gesture(element, latest)
    const options = { signal: gesture.ended, passive: false }
    element.addEventListener('pointerdown', gesture.begin, options)
    element.addEventListener('pointermove', gesture.move, options)
    element.addEventListener('pointerup', gesture.end, options)
    element.addEventListener('pointercancel', gesture.cancel, options)
    element.addEventListener('wheel', gesture.wheel, options)
    return () => gesture.stop()
  }, [frame])
}

interface Point {
  x: number
  y: number
}

class Gesture {
  readonly #element: HTMLElement
  readonly #actions: RefObject<Actions>
  readonly #stopping = new AbortController()
  readonly #pointers = new Map<number, Point>()
  #place: Place = whole
  #start: Point = { x: 0, y: 0 }
  /** Whether only one finger has touched since the start, so that it may be a swipe or a tap. */
  #isSingle = true
  #lastTap = { time: 0, x: 0, y: 0 }

  constructor(element: HTMLElement, actions: RefObject<Actions>) {
    this.#element = element
    this.#actions = actions
  }

  get ended(): AbortSignal {
    return this.#stopping.signal
  }

  stop(): void {
    this.#stopping.abort()
  }

  begin = (event: PointerEvent): void => {
    if (event.button !== 0) return
    this.#element.setPointerCapture(event.pointerId)
    this.#pointers.set(event.pointerId, pointOf(event))
    this.#isSingle = this.#pointers.size === 1
    if (this.#isSingle) this.#start = pointOf(event)
    this.#element.classList.add('is-held')
  }

  move = (event: PointerEvent): void => {
    const before = this.#pointers.get(event.pointerId)
    if (!before) return
    const point = pointOf(event)
    const [other] = [...this.#pointers].filter(([id]) => id !== event.pointerId).map(([, held]) => held)
    this.#pointers.set(event.pointerId, point)
    if (other) {
      const factor = distance(point, other) / Math.max(distance(before, other), 1)
      this.#show(enlarge(this.#box, this.#place, factor, middle(point, other)))
      return
    }
    const moved = { x: point.x - before.x, y: point.y - before.y }
    if (this.#place.scale > 1) this.#show({ ...this.#place, x: this.#place.x + moved.x, y: this.#place.y + moved.y })
    else if (event.pointerType !== 'mouse' && this.#isSingle) this.#pull(point)
  }

  end = (event: PointerEvent): void => {
    if (!this.#pointers.delete(event.pointerId) || this.#pointers.size > 0) return
    this.#element.classList.remove('is-held')
    const point = pointOf(event)
    const [right, down] = [point.x - this.#start.x, point.y - this.#start.y]
    this.#show(this.#place)
    if (!this.#isSingle) return
    if (Math.hypot(right, down) < 10) this.#tap(point, event.timeStamp)
    else if (this.#place.scale === 1 && event.pointerType !== 'mouse') this.#swipe(right, down)
  }

  cancel = (event: PointerEvent): void => {
    this.#pointers.delete(event.pointerId)
    this.#element.classList.remove('is-held')
    this.#show(this.#place)
  }

  wheel = (event: WheelEvent): void => {
    event.preventDefault()
    this.#show(enlarge(this.#box, this.#place, Math.exp(-event.deltaY / (event.ctrlKey ? 100 : 400)), pointOf(event)))
  }

  get #box(): Box {
    const { left, top, width, height } = this.#element.getBoundingClientRect()
    return { left, top, width, height }
  }

  #swipe(right: number, down: number): void {
    const forward = document.dir === 'rtl' ? 1 : -1
    if (Math.abs(right) > swipeDistance && Math.abs(right) > Math.abs(down)) this.#actions.current.onStep(Math.sign(right) * forward)
    else if (down > 2 * swipeDistance && down > Math.abs(right)) this.#actions.current.onClose()
  }

  #tap(point: Point, time: number): void {
    const isSecond = time - this.#lastTap.time < doubleTapTime && distance(point, this.#lastTap) < 40
    this.#lastTap = isSecond ? { time: 0, x: 0, y: 0 } : { time, ...point }
    if (!isSecond) return
    this.#show(this.#place.scale > 1 ? whole : enlarge(this.#box, this.#place, doubleTapScale, point))
  }

  /** Lets the picture follow a finger that may become a swipe. */
  #pull({ x, y }: Point): void {
    const [right, down] = [x - this.#start.x, y - this.#start.y]
    const isSideways = Math.abs(right) > Math.abs(down)
    this.#transform({ scale: 1, x: isSideways ? right : 0, y: isSideways ? 0 : Math.max(down, 0) })
  }

  #show(place: Place): void {
    this.#place = fitted(this.#box, place)
    this.#element.classList.toggle('is-enlarged', this.#place.scale > 1)
    if (this.#place.scale > 1) this.#actions.current.onEnlarge()
    this.#transform(this.#place)
  }

  #transform({ scale, x, y }: Place): void {
    const picture = this.#element.firstElementChild
    if (picture instanceof HTMLElement) picture.style.transform = `translate(${x}px, ${y}px) scale(${scale})`
  }
}

function pointOf({ clientX, clientY }: MouseEvent): Point {
  return { x: clientX, y: clientY }
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

function middle(a: Point, b: Point): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
}
