// An offer service with zod. In the lax setting, it converts values (`z.coerce`). Timestamps must end in Z and have whole seconds. URLs are checked.

import {lax, load, main} from "./runner.mjs"

const {z} = load("zod")

const string = lax ? z.coerce.string() : z.string()
const nonEmpty = lax ? string : string.min(1)
const integer = lax ? z.coerce.number() : z.int32()
const number = lax ? z.coerce.number() : z.number()
const shape = lax ? z.object : z.strictObject

const text = string.nullish()
const count = integer.nullish()
const positive = (lax ? integer : integer.min(1)).nullish()
const price = number.nullish()
const flag = (lax ? z.coerce.boolean() : z.boolean()).nullish()
const timestamp = lax ? text : z.iso.datetime({precision: 0}).nullish()
const url = lax ? text : z.httpUrl().nullish()
const array = (items) => z.array(items).nullish()

const additionalProp = shape({name: string, type: string.default("string"), hint: text, label: text, value: text})
const pageCount = shape({minimumPages: count, maximumPages: count, price})
const priceTier = shape({price: number, minimumQuantity: count, maximumQuantity: count, pageCounts: array(pageCount)})
const priceClass = shape({name: string.optional(), price, priceTiers: array(priceTier)})
const product = shape({
  productId: nonEmpty,
  productQuantityInOffer: integer,
  associatedFileName: text,
  pageCount: positive,
  surcharge: price,
})
const cluster = shape({id: text, products: z.array(product).min(1).nullish()})

const offer = shape({
  number: nonEmpty,
  offerType: z.enum(["Direct Mail", "Download", "Drop Ship", "Email", "Omnichannel", "Product List", "VDM"]),
  omsOfferId: text,
  xmVendorTemplateId: text,
  xmVendorUStoreId: text,
  description: text,
  comments: text,
  accessGroups: array(string),
  categoryIds: array(string),
  availableStartDate: timestamp,
  availableEndDate: timestamp,
  lastUpdatedDateTimeUtc: timestamp,
  defaultPrice: price,
  surcharge: price,
  deliveryScheduleCron: text,
  doSuppressShippingAndHandling: flag,
  onlyShipMethodsAvailable: array(string),
  fixedOrderQuantities: array(integer),
  orderMinimum: positive,
  orderMaximum: positive,
  fullImageUrl: url,
  thumbnailUrl: url,
  pdfUrl: url,
  isActive: flag,
  isAvailableViaCoopFunds: flag,
  isInventoried: flag,
  isTaxable: flag,
  requiresApproval: flag,
  secureEmailSubject: text,
  secureEmailBody: text,
  unitOfMeasure: text,
  weightInPounds: price,
  additionalPropsRequiredOnOrder: array(additionalProp),
  omniChannel: shape({offers: array(shape({offerId: text, deliveryChannel: text}))}).nullish(),
  priceClasses: array(priceClass),
  productClusters: array(cluster),
}).refine(
  ({offerType, productClusters}) => offerType !== "Product List" || (productClusters?.length > 0 && productClusters.every(({products}) => products)),
  {error: "A product list needs products"},
)

main((body, now) => {
  let message
  try {
    message = JSON.parse(body.toString()) // replaces bytes that are not UTF-8, and keeps a byte order mark
  } catch {
    return false
  }
  const {success, data} = offer.safeParse(message)
  return success && (data.lastUpdatedDateTimeUtc == null || Date.parse(data.lastUpdatedDateTimeUtc) <= now)
})
