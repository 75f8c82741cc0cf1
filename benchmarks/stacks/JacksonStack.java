// An offer service with Jackson, which reads messages from standard input. Java compiles this file when it is started:
// java -cp '/usr/share/java/*' JacksonStack.java

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.type.LogicalType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.List;
import java.util.Set;

public class JacksonStack {
  static final Duration TOLERANCE = Duration.ofMinutes(5);
  static final Set<String> OFFER_TYPES = Set.of("Direct Mail", "Download", "Drop Ship", "Email", "Omnichannel", "Product List", "VDM");

  static class Offer {
    public String number, offerType, omsOfferId, xmVendorTemplateId, xmVendorUStoreId, description, comments;
    public String availableStartDate, availableEndDate, lastUpdatedDateTimeUtc, deliveryScheduleCron, unitOfMeasure;
    public String fullImageUrl, thumbnailUrl, pdfUrl, secureEmailSubject, secureEmailBody;
    public List<String> accessGroups, categoryIds, onlyShipMethodsAvailable;
    public Double defaultPrice, surcharge, weightInPounds;
    public Boolean doSuppressShippingAndHandling, isActive, isAvailableViaCoopFunds, isInventoried, isTaxable, requiresApproval;
    public List<Integer> fixedOrderQuantities;
    public Integer orderMinimum, orderMaximum;
    public List<AdditionalProp> additionalPropsRequiredOnOrder;
    public OmniChannel omniChannel;
    public List<PriceClass> priceClasses;
    public List<ProductCluster> productClusters;
  }

  static class AdditionalProp {
    @JsonSetter(nulls = Nulls.FAIL) public String type = "string";
    public String name, hint, label, value;
  }

  static class OmniChannel {
    public List<ChannelOffer> offers;
  }

  static class ChannelOffer {
    public String offerId, deliveryChannel;
  }

  static class PriceClass {
    @JsonSetter(nulls = Nulls.FAIL) public String name;
    public Double price;
    public List<PriceTier> priceTiers;
  }

  static class PriceTier {
    public Double price;
    public Integer minimumQuantity, maximumQuantity;
    public List<PageCountPrice> pageCounts;
  }

  static class PageCountPrice {
    public Integer minimumPages, maximumPages;
    public Double price;
  }

  static class ProductCluster {
    public String id;
    public List<Product> products;
  }

  static class Product {
    public String productId, associatedFileName;
    public Integer productQuantityInOffer, pageCount;
    public Double surcharge;
  }

  // Jackson's own deserializers accept some strings, such as "NaN" and " ".
  static class Int32 extends StdScalarDeserializer<Integer> {
    Int32() { super(Integer.class); }

    @Override public Integer deserialize(JsonParser parser, DeserializationContext context) throws IOException {
      if (!parser.hasToken(JsonToken.VALUE_NUMBER_INT)) return context.reportInputMismatch(this, "not an integer");
      return parser.getIntValue();
    }
  }

  static class Number64 extends StdScalarDeserializer<Double> {
    Number64() { super(Double.class); }

    @Override public Double deserialize(JsonParser parser, DeserializationContext context) throws IOException {
      if (!parser.currentToken().isNumeric()) return context.reportInputMismatch(this, "not a number");
      return parser.getDoubleValue();
    }
  }

  static final boolean LAX = "lax".equals(System.getenv("STACK_SETTING"));
  static final JsonMapper MAPPER = LAX ? lax() : strict();

  // As in Spring Boot.
  static JsonMapper lax() {
    return JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();
  }

  static JsonMapper strict() {
    return JsonMapper.builder()
        .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
        .defaultSetterInfo(JsonSetter.Value.construct(Nulls.SET, Nulls.FAIL)) // items are never null
        .addModule(new SimpleModule().addDeserializer(Integer.class, new Int32()).addDeserializer(Double.class, new Number64()))
        .withCoercionConfig(LogicalType.Textual, config -> {
          config.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail);
          config.setCoercion(CoercionInputShape.Float, CoercionAction.Fail);
          config.setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
        })
        .build();
  }

  static boolean accepts(byte[] body, Instant now) {
    try {
      Offer offer = MAPPER.readValue(body, Offer.class);
      return offer != null && isValid(offer, now);
    } catch (IOException | DateTimeException problem) {
      return false;
    }
  }

  static boolean isValid(Offer offer, Instant now) {
    return isPresent(offer.number)
        && offer.offerType != null && OFFER_TYPES.contains(offer.offerType)
        && isPositive(offer.orderMinimum) && isPositive(offer.orderMaximum)
        && !(offer.lastUpdatedDateTimeUtc != null && OffsetDateTime.parse(offer.lastUpdatedDateTimeUtc).toInstant().isAfter(now.plus(TOLERANCE)))
        && each(offer.additionalPropsRequiredOnOrder).stream().allMatch(prop -> prop.name != null)
        && each(offer.priceClasses).stream().flatMap(found -> each(found.priceTiers).stream()).allMatch(tier -> tier.price != null)
        && each(offer.productClusters).stream().allMatch(JacksonStack::isValid)
        && (!offer.offerType.equals("Product List")
            || !each(offer.productClusters).isEmpty() && offer.productClusters.stream().allMatch(cluster -> cluster.products != null));
  }

  static boolean isValid(ProductCluster cluster) {
    return cluster.products == null || !cluster.products.isEmpty() && cluster.products.stream().allMatch(product ->
        isPresent(product.productId) && product.productQuantityInOffer != null && isPositive(product.pageCount));
  }

  static boolean isPresent(String text) { return text != null && !text.isEmpty(); }

  static boolean isPositive(Integer number) { return number == null || number >= 1; }

  static <T> List<T> each(List<T> items) { return items == null ? List.of() : items; }

  static Instant now() {
    String fixed = System.getenv("STACK_NOW");
    return fixed == null ? Instant.now() : Instant.parse(fixed);
  }

  public static void main(String[] arguments) throws IOException {
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = lines.readLine()) != null; ) {
      System.out.println(accepts(Base64.getDecoder().decode(line), now()) ? "accepted" : "rejected");
      System.out.flush();
    }
  }
}
