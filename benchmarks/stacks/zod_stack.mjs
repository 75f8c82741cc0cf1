// An offer service with zod. Timestamps must end in Z and have whole seconds. URLs are checked.

import {load, main} from "./runner.mjs"

const {z} = load("zod")

const text = z.string().nullish()
const count = z.int32().nullish()
const positive = z.int32().min(1).nullish()
const price = z.number().nullish()
const flag = z.boolean().nullish()
const timestamp = z.iso.datetime({precision: 0}).nullish()
const url = z.httpUrl().nullish()
const array = (items) => z.array(items).nullish()

const additionalProp = z.strictObject({name: z.string(), type: z.string().default("string"), hint: text, label: text, value: text})
const pageCount = z.strictObject({minimumPages: count, maximumPages: count, price})
const priceTier = z.strictObject({price: z.number(), minimumQuantity: count, maximumQuantity: count, pageCounts: array(pageCount)})
const priceClass = z.strictObject({name: z.string().optional(), price, priceTiers: array(priceTier)})
const product = z.strictObject({
  productId: z.string().min(1),
  productQuantityInOffer: z.int32(),
  associatedFileName: text,
  pageCount: positive,
  surcharge: price,
})
const cluster = z.strictObject({id: text, products: z.array(product).min(1).nullish()})

const offer = z
  .strictObject({
    number: z.string().min(1),
    offerType: z.enum(["Direct Mail", "Download", "Drop Ship", "Email", "Omnichannel", "Product List", "VDM"]),
    omsOfferId: text,
    xmVendorTemplateId: text,
    xmVendorUStoreId: text,
    description: text,
    comments: text,
    accessGroups: array(z.string()),
    categoryIds: array(z.string()),
    availableStartDate: timestamp,
    availableEndDate: timestamp,
    lastUpdatedDateTimeUtc: timestamp,
    defaultPrice: price,
    surcharge: price,
    deliveryScheduleCron: text,
    doSuppressShippingAndHandling: flag,
    onlyShipMethodsAvailable: array(z.string()),
    fixedOrderQuantities: array(z.int32()),
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
    omniChannel: z.strictObject({offers: array(z.strictObject({offerId: text, deliveryChannel: text}))}).nullish(),
    priceClasses: array(priceClass),
    productClusters: array(cluster),
  })
  .refine(
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
